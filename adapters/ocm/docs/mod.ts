export { htmlSite } from './html-site.ts';
export { documentation } from './pages.ts';
