// fast-check with one fixed seed, so that a test fails because of a change and not by chance. SEED replays or varies it.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_261_121) });

export { fc };
