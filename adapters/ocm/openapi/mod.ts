export { openApi } from './document.ts';
export type { OpenApiOptions } from './options.ts';
export { missingLinkTargets } from './schemas.ts';
