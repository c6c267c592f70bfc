// Hand-written conversions between disk v1 and the internal types, and the ignored fields.
