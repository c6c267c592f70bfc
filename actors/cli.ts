#!/usr/bin/env node
// The one executable: `troupe <command>`. Nothing is imported before the compile cache is on.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { main } = await import('./commands.ts');
process.exitCode = await main(process.argv.slice(2), process.env);
