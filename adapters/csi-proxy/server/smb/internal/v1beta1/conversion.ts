// Hand-written conversions between smb v1beta1 and the internal types, and the ignored fields.

export const ignoredFields = {
  NewSmbGlobalMappingResponse: { error: 'what goes wrong is the status of the call' },
  RemoveSmbGlobalMappingResponse: { error: 'what goes wrong is the status of the call' },
};
