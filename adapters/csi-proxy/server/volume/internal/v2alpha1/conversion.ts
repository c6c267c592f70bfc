// Hand-written conversions between volume v2alpha1 and the internal types, and the ignored fields.
