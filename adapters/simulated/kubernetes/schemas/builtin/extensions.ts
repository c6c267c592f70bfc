// Types of the definitions of custom resources. The notation is that of schemas/types.ts.

export const EXTENSION_TYPES = `
kind CustomResourceDefinition: Makes the server serve a kind of its own, under <plural>.<group>.
  2 spec! CustomResourceDefinitionSpec: What is to be served.
  3 status CustomResourceDefinitionStatus: What is served.
CustomResourceDefinitionSpec: What is to be served.
  9 conversion CustomResourceConversion: How objects get from one version to another.
  1 group! string: Group of the kind.
  3 names! CustomResourceDefinitionNames={}: What the kind is called.
  10 preserveUnknownFields boolean: Must be false.
  4 scope! string: Cluster or Namespaced.
  7 versions! []CustomResourceDefinitionVersion: The versions; exactly one is stored.
CustomResourceConversion: How objects get from one version to another.
  1 strategy! string: None changes only the apiVersion, Webhook asks a program.
  2 webhook WebhookConversion: The program to ask.
WebhookConversion: A program that converts objects.
  2 clientConfig WebhookClientConfig: Where it is.
  3 conversionReviewVersions! []string: Versions of the request that it understands, the best first.
WebhookClientConfig: Where a program is: a service or an address.
  2 caBundle bytes: Authorities that its certificate may be signed by, as PEM.
  1 service ServiceReference: The service.
  3 url *string: The address.
ServiceReference: Names a service.
  2 name! string: The name.
  1 namespace! string: The namespace.
  3 path *string: Path of the requests.
  4 port *int32: The port, 443 unless said otherwise.
CustomResourceDefinitionNames: What a kind is called.
  6 categories []string: Groups of kinds that are listed together, such as all.
  4 kind! string: In the singular and in capitals, as in kind.
  5 listKind string: The kind of lists.
  1 plural! string: In the plural and lower case, as in paths.
  3 shortNames []string: Abbreviations for the command line.
  2 singular string: In the singular and lower case.
CustomResourceDefinitionVersion: One version of a kind.
  6 additionalPrinterColumns []CustomResourceColumnDefinition: Columns of tables; the age when there are none.
  7 deprecated boolean: Whether a warning comes with every answer.
  8 deprecationWarning *string: The warning, when it should be another than the usual one.
  1 name! string: Name of the version, such as v1beta1.
  4 schema CustomResourceValidation: What objects look like.
  9 selectableFields []SelectableField: Fields that queries may select by.
  2 served! boolean: Whether requests for the version are answered.
  3 storage! boolean: Whether objects are stored in this version.
  5 subresources CustomResourceSubresources: What is served beneath an object.
CustomResourceColumnDefinition: A column of tables.
  4 description string: What it shows, for people.
  3 format string: The OpenAPI format of the value; name marks the column with the name.
  6 jsonPath! string: The value within the object.
  1 name! string: The heading.
  5 priority int32: Columns above 0 are shown in wide tables only.
  2 type! string: The OpenAPI type of the value.
CustomResourceValidation: What objects look like.
  1 openAPIV3Schema JSONSchemaProps: The schema.
JSONSchemaProps: A schema, by the JSON Schema of OpenAPI v3.
  3 $ref *string:
  2 $schema string:
  33 additionalItems JSONSchemaPropsOrBool:
  30 additionalProperties JSONSchemaPropsOrBool:
  25 allOf []JSONSchemaProps:
  27 anyOf []JSONSchemaProps:
  8 default JSON: The value of a field that is not there.
  34 definitions {}JSONSchemaProps:
  32 dependencies {}JSONSchemaPropsOrStringArray:
  4 description string:
  20 enum []JSON:
  36 example JSON:
  10 exclusiveMaximum boolean:
  12 exclusiveMinimum boolean:
  35 externalDocs ExternalDocumentation:
  6 format string: Which texts are allowed, such as uuid, cidr, date-time or duration; unknown ones allow all.
  1 id string:
  24 items JSONSchemaPropsOrArray:
  16 maxItems *int64:
  13 maxLength *int64:
  21 maxProperties *int64:
  9 maximum *double:
  17 minItems *int64:
  14 minLength *int64:
  22 minProperties *int64:
  11 minimum *double:
  19 multipleOf *double:
  28 not JSONSchemaProps:
  37 nullable boolean:
  26 oneOf []JSONSchemaProps:
  15 pattern string:
  31 patternProperties {}JSONSchemaProps:
  29 properties {}JSONSchemaProps:
  23 required []string:
  7 title string:
  5 type string:
  18 uniqueItems boolean:
  39 x-kubernetes-embedded-resource boolean: Whether the value is an object with apiVersion, kind and metadata.
  40 x-kubernetes-int-or-string boolean: Whether the value is a number or a text.
  41 x-kubernetes-list-map-keys []string: Fields that tell the items of a list of type map apart.
  42 x-kubernetes-list-type *string: How lists are merged: atomic, set or map.
  43 x-kubernetes-map-type *string: How maps are merged: granular or atomic.
  38 x-kubernetes-preserve-unknown-fields *boolean: Whether fields that are not declared are kept.
  44 x-kubernetes-validations [rule]ValidationRule: Rules in CEL that must hold of the value.
JSONSchemaPropsOrBool any: A schema, or true for anything.
JSON any: Any value.
JSONSchemaPropsOrStringArray any: A schema, or names of fields.
JSONSchemaPropsOrArray any: A schema, or a list of schemas.
ExternalDocumentation: Where there is more to read.
  1 description string:
  2 url *string:
ValidationRule: A rule in CEL.
  5 fieldPath string: The field that is blamed, relative to where the rule is.
  2 message string: The error message when the rule does not hold.
  3 messageExpression string: CEL that makes the message.
  6 optionalOldSelf *boolean: Whether the rule is applied when there is no old value too.
  4 reason string(FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired): The reason in the answer.
  1 rule! string: What must be true of self, and of oldSelf where the rule is about a change.
SelectableField: A field that queries may select by.
  1 jsonPath! string: Where the field is.
CustomResourceSubresources: What is served beneath an object.
  2 scale CustomResourceSubresourceScale: Makes /scale serve the number of replicas.
  1 status CustomResourceSubresourceStatus: Makes /status the only way to write the status.
CustomResourceSubresourceScale: Where the numbers of replicas are.
  3 labelSelectorPath *string: Where the selector of the replicas is.
  1 specReplicasPath! string: Where the wanted number is.
  2 statusReplicasPath! string: Where the present number is.
CustomResourceSubresourceStatus: Has no settings.
CustomResourceDefinitionStatus: What is served.
  2 acceptedNames CustomResourceDefinitionNames: The names in use.
  1 conditions [type;]CustomResourceDefinitionCondition: Whether the names are free and the kind is served.
  4 observedGeneration int64: The generation that was looked at last.
  3 storedVersions []string: Versions in which there may be objects in the store.
CustomResourceDefinitionCondition: One aspect of how a definition is.
  3 lastTransitionTime Time: When the status changed last.
  5 message string: Details for people.
  6 observedGeneration int64: The generation that was looked at.
  4 reason string: Why the status is what it is, in one word.
  2 status! string: True, False or Unknown.
  1 type! string: Which aspect.
`;
