// The kubeconfig that leads a client to the server.
import { yaml } from './base/libraries.ts';

export interface KubeconfigInput {
  readonly url: string;
  readonly caCertificate: string;
  readonly token: string;
}

/** YAML with the authority and the token inline; the current context has the namespace `default`. */
export function kubeconfigText({ url, caCertificate, token }: KubeconfigInput): string {
  const name = 'embedded';
  return yaml().stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name, cluster: { server: url, 'certificate-authority-data': Buffer.from(caCertificate).toString('base64') } },
    ],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  });
}
