// A class with all that searches of public clients name, and how tests search objects of it.

import { Bucket } from '../../../../adapters/ocm/gateway/search/bucket.ts';
import type { CompiledSearch } from '../../../../adapters/ocm/gateway/search/compile.ts';
import { compileSearch } from '../../../../adapters/ocm/gateway/search/compile.ts';
import type { FieldScope } from '../../../../adapters/ocm/gateway/search/fields.ts';
import { type Order, orderOf } from '../../../../adapters/ocm/gateway/search/order.ts';
import type { StoredObject, Value } from '../../../../adapters/ocm/gateway/store/store.ts';
import { type StructType, Workspace } from '../../../../adapters/ocm/model/mod.ts';

const MODEL = `
resource Root { locator Things { target Things } }
resource Things { method List { in out Page Integer = 1 in out Size Integer = 100 out Total Integer out Items []Thing } }
class Thing {
  Name String
  DisplayName String
  ClusterID String
  ExternalClusterID String
  ExternalID String
  QuotaID String
  Status String
  ChannelGroup String
  State State
  Managed Boolean
  Enabled Boolean
  ROSAEnabled Boolean
  UserDefined Boolean
  CreationTimestamp Date
  Nodes Nodes
  Load Float
  Size Long
  Tags []String
  Extra Interface
  Properties [String]String
  Pools [String]Nodes
  Deeps [String]Deep
  AWS AWS
  link Product Product
  link Region Region
  link CloudProvider CloudProvider
  link Cluster Cluster
  link Plan Plan
}
enum State { Ready Installing }
struct Nodes { Compute Integer Total Integer }
struct Deep { M [String]String B String }
struct AWS { STS STS }
struct STS { RoleARN String OperatorIAMRoles []Role InstanceIAMRoles Instance }
struct Role { Name String RoleARN String Weight Integer }
struct Instance { MasterRoleARN String }
class Product { }
class Region { }
class CloudProvider { }
class Cluster { }
class Plan { }
`;

export const THING: StructType = thing();
export const SCOPE: FieldScope = {
  type: THING,
  hrefOf: ({ id }) => `/api/things/v1/things/${id}`,
  linkHref: (attribute, id) => `/${attribute.wireName}/${id}`,
};

export function object(id: string, value: Value = {}): StoredObject {
  return { outer: [], id, revision: '1', deleting: false, value };
}

export function compiled(search: string): CompiledSearch | undefined {
  return compileSearch(search, SCOPE);
}

export function bucketOf(objects: readonly StoredObject[]): Bucket {
  const bucket = new Bucket();
  for (const each of objects) bucket.put(each);
  return bucket;
}

/** Identifiers of those that pass, in order. */
export function selected(search: string, objects: readonly StoredObject[], order = ''): string[] {
  return bucketOf(objects)
    .query(compiled(search), orderIn(order))
    .objects.map(({ id }) => id);
}

export function orderIn(text: string): Order {
  return orderOf(text, SCOPE);
}

/** Why something is refused. @throws {Error} it is not */
export function reasonOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Error && error.name === 'RefusedRequest') return error.message;
    throw error;
  }
  throw new Error('it is not refused');
}

function thing(): StructType {
  const workspace = new Workspace();
  workspace.set('m/things/v1/things.model', MODEL);
  const [error] = workspace.diagnostics().filter(({ severity }) => severity === 'error');
  if (error !== undefined) throw new Error(error.message);
  const type = workspace.model().services[0]?.versions[0]?.types.find(({ name }) => name.camel === 'Thing');
  if (type === undefined || type.kind === 'enum') throw new Error('there is no class Thing');
  return type;
}
