// Network interfaces in a host's spec: each is named by name or by MAC address, and at most once.
import { mapOf, textOf } from '../../json-values.ts';

/** @param interfaces  `spec.networkInterfaces` */
export function interfaceProblems(interfaces: readonly unknown[]): readonly string[] {
  const seen = new Set<string>();
  return interfaces.flatMap((each, index) => {
    const [name, macAddress] = [textOf(mapOf(each)['name']), textOf(mapOf(each)['macAddress'])];
    const at = `spec.networkInterfaces[${index}]`;
    if (name === '' && macAddress === '') return [`${at}: must specify either name or macAddress`];
    if (name !== '' && macAddress !== '') return [`${at}: name and macAddress are mutually exclusive`];
    const selector = (name || macAddress).toLowerCase();
    if (seen.has(selector)) return [`${at}: duplicate interface selector "${selector}"`];
    seen.add(selector);
    return [];
  });
}
