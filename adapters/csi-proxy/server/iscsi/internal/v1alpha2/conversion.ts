// Hand-written conversions between iscsi v1alpha2 and the internal types, and the ignored fields.
