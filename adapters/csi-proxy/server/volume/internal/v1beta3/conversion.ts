// Hand-written conversions between volume v1beta3 and the internal types, and the ignored fields.
