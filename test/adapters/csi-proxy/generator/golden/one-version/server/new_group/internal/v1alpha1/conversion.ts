// What of the conversions between new_group v1alpha1 and the internal types is written by hand, and which fields are ignored.
