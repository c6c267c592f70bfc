// A small model of clusters and what belongs to them, for tests of kinds.
import { fileURLToPath } from 'node:url';

export const MODELS = fileURLToPath(new URL('./models', import.meta.url));
