// Hand-written conversions between iscsi v1alpha1 and the internal types, and the ignored fields.
