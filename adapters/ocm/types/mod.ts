export { typeScript } from './modules.ts';
