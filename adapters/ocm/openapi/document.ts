import type { Version } from '../model/mod.ts';
import { JsonText } from './json-text.ts';
import type { OpenApiOptions } from './options.ts';
import { writePaths } from './paths.ts';
import { writeSchemas } from './schemas.ts';

const SERVERS = [
  ['Production', 'https://api.openshift.com'],
  ['Stage', 'https://api.stage.openshift.com'],
] as const;

/**
 * The OpenAPI 3.0 document of a version, as JSON text without a line end: without options what is published, byte for
 * byte, but that no key is written twice.
 *
 * @param version  of a model without errors
 */
export function openApi(version: Version, options: OpenApiOptions = {}): string {
  const json = new JsonText();
  json.object(undefined, () => {
    json.member('openapi', '3.0.0');
    json.object('info', () => {
      json.member('version', version.name.key);
      json.member('title', version.service.name.key);
      json.object('license', () => {
        json.member('name', 'Apache 2.0');
        json.member('url', 'http://www.apache.org/licenses/LICENSE-2.0');
      });
      json.object('contact', () => {
        json.member('name', 'OCM Feedback');
        json.member('email', 'ocm-feedback@redhat.com');
      });
    });
    json.array('servers', () => {
      for (const [description, url] of SERVERS) {
        json.object(undefined, () => {
          json.member('description', description);
          json.member('url', url);
        });
      }
    });
    json.object('paths', () => writePaths(json, version, options));
    json.object('components', () => {
      json.object('schemas', () => writeSchemas(json, version, options));
      json.object('securitySchemes', () => {
        json.object('bearer', () => {
          json.member('type', 'http');
          json.member('scheme', 'bearer');
          json.member('bearerFormat', 'JWT');
        });
      });
    });
    json.array('security', () => json.object(undefined, () => json.array('bearer', () => undefined)));
  });
  return json.toString();
}
