// Hand-written conversions between filesystem v2alpha1 and the internal types, and the ignored fields.
