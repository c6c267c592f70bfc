// Hand-written conversions between system v1alpha1 and the internal types, and the ignored fields.
