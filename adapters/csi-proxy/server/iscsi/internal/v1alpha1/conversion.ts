// What of the conversions between iscsi v1alpha1 and the internal types is written by hand, and which fields are ignored.
