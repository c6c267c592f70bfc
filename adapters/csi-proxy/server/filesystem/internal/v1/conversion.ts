// Hand-written conversions between filesystem v1 and the internal types, and the ignored fields.
