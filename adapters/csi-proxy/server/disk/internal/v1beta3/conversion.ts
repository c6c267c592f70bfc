// Hand-written conversions between disk v1beta3 and the internal types, and the ignored fields.
