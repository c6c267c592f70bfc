// Hand-written conversions between volume v1 and the internal types, and the ignored fields.
