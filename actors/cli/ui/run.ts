// `troupe ui` with what the command line says.
import { type CommandCall, oneNamespace } from '../command.ts';
import { openInBrowser, ui } from './ui.ts';

export function run(call: CommandCall): Promise<number> {
  return ui({
    ...call,
    adapters: call.configured(),
    namespace: oneNamespace(call, "'ui' shows an object of one namespace"),
    kubeconfig: call.config.kubeconfig,
    open: call.own['no-open'] === true ? undefined : (url) => openInBrowser(url, process.platform),
  });
}
