// Hand-written conversions between filesystem v1beta2 and the internal types, and the ignored fields.
