// Hand-written conversions between smb v1beta2 and the internal types, and the ignored fields.
