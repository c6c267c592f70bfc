// The alerts of the chart.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

export const RULES_FILE = fileURLToPath(new URL('../../deploy/chart/files/rules.yaml', import.meta.url));

const { groups } = parse(readFileSync(RULES_FILE, 'utf8')) as { readonly groups: readonly { rules: Alert[] }[] };

export const ALERTS: readonly Alert[] = groups.flatMap(({ rules }) => rules);
