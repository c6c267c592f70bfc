// What may be said of bare metal beside the connection to Ironic.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ironicOptions } from '../../../adapters/ironic/options.ts';
import { TerminalError } from '../../../bus/errors.ts';

const test = suite('options of bare metal');

const SWITCHES = {
  IRONIC_NETWORKING_ENABLED: 'true',
  IRONIC_SWITCH_CONFIGS_SECRET: 'configs',
  IRONIC_SWITCH_CREDENTIALS_SECRET: 'keys',
  IRONIC_SWITCH_CREDENTIALS_PATH: '/etc/keys',
};

const switchesOf = (env: Readonly<Record<string, string>>) =>
  ironicOptions({ flag: (name) => ({ name, value: undefined }), variable: (name) => env[name] }).switches;

test('33.D: switches are rendered where that is switched on, with all that it takes', () => {
  assert.is(switchesOf({}), undefined);
  assert.is(switchesOf({ ...SWITCHES, IRONIC_NETWORKING_ENABLED: 'false' }), undefined);
  assert.equal(switchesOf(SWITCHES), { configs: 'configs', credentials: 'keys', credentialsPath: '/etc/keys' });
});

test('33.D: what is missing, the same twice, or no truth value ends the start', () => {
  const refused = (env: Readonly<Record<string, string>>): string => {
    try {
      switchesOf({ ...SWITCHES, ...env });
    } catch (error) {
      assert.instance(error, TerminalError);
      return (error as Error).message;
    }
    return 'taken';
  };
  for (const name of ['CONFIGS_SECRET', 'CREDENTIALS_SECRET', 'CREDENTIALS_PATH']) {
    assert.match(refused({ [`IRONIC_SWITCH_${name}`]: '' }), `IRONIC_SWITCH_${name} must be set`);
  }
  assert.match(refused({ IRONIC_SWITCH_CREDENTIALS_SECRET: 'configs' }), "must differ; both are 'configs'");
  assert.match(refused({ IRONIC_NETWORKING_ENABLED: 'yes' }), 'must be true or false');
});

test.run();
