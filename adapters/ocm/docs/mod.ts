export { documentation } from './pages.ts';
