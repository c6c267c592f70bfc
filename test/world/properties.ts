// fast-check with one seed for everybody, so that a test is red for a change and not by chance. SEED replays or varies it.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_261_121) });

export { fc };
