// The layout of model files: what it looks like, and what it leaves alone.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { format, parse } from '../../../adapters/ocm/model/mod.ts';
import { corpus } from './corpus.ts';
import { meaning, noteTexts } from './layout.ts';

const test = suite('format');

/** Formats, and checks that nothing else changed and that once is enough (OCM-FORMAT-1, OCM-FORMAT-2). */
function formatted(text: string): string {
  const before = parse('x.model', text);
  assert.equal(before.diagnostics, []);
  const result = format(before);
  const after = parse('x.model', result);
  assert.equal(after.diagnostics, []);
  assert.is(meaning(after), meaning(before));
  assert.equal(noteTexts(after), noteTexts(before));
  assert.is(format(after), result);
  return result;
}

test('a member has a line, a mark has a line, and one blank line stays', () => {
  const text = `class  X{Name  String
    @json(name="a"b=1)@deprecated() A [ String ]Integer


   link B [ ]X}enum E{A value B}resource R{locator L{target R variable ID}method M{in out Page Integer=1}N{}}error Z{code 1}`;
  assert.is(
    formatted(text),
    `class X {
	Name String
	@json(name = "a" b = 1)
	@deprecated()
	A [String]Integer

	link B []X
}

enum E {
	A
	value B
}

resource R {
	locator L {
		target R
		variable ID
	}
	method M {
		in out Page Integer = 1
	}
	N {
	}
}

error Z {
	code 1
}
`,
  );
});

test('notes stay where they are', () => {
  const text = `/* Licence,
   as it is. */

// Of X.
class X { // trails

    // Of A.
  A   /* which */ String   // Of B, on the line above.
  B String

  // Of nobody.

  // Nor this.
  } // end
`;
  assert.is(
    formatted(text),
    `/* Licence,
   as it is. */

// Of X.
class X { // trails

	// Of A.
	A /* which */ String // Of B, on the line above.
	B String

	// Of nobody.

	// Nor this.
} // end
`,
  );
});

test('documentation follows its item where a line is split', () => {
  assert.is(formatted('// Of A.\nclass X { A String }\n'), 'class X {\n\t// Of A.\n\tA String\n}\n');
  assert.is(
    formatted('class X {\n A String // Of Y.\n} class Y {\n}\n'),
    'class X {\n\tA String // Of Y.\n}\n\nclass Y {\n}\n'
      .replace(' // Of Y.', '')
      .replace('class Y', '// Of Y.\nclass Y'),
  );
  assert.is(
    formatted('class X {\nA // One.\nString // Two.\nB Integer\n}\n'),
    'class X {\n\tA String\n\t// One.\n\t// Two.\n\tB Integer\n}\n',
  );
});

test('a note that documents nothing does not begin to (OCM-FORMAT-3)', () => {
  assert.is(
    formatted('class X {\n@json // Of nobody.\n// Nor this.\nA String // Last.\n\nB String\n}\n'),
    'class X {\n\t@json // Of nobody.\n\t// Nor this.\n\tA String // Last.\n\n\tB String\n}\n',
  );
  assert.is(formatted('// d\n/* b */ class X { }\n'), '// d\n/* b */ class X {\n}\n');
});

test('line ends stay what they are', () => {
  assert.is(formatted('class X {\r\n// A.\r\nA String }'), 'class X {\r\n\t// A.\r\n\tA String\r\n}\r\n');
  assert.is(formatted(''), '');
  // Several returns before a line feed are one end of a line, in a comment too.
  assert.is(formatted('/*\na\r\r\n\r\nb */\nclass X {\n}\n'), '/*\na\n\nb */\nclass X {\n}\n');
});

test('the meaning of whole corpora stays as it is', () => {
  for (const text of corpus().values()) formatted(text);
});

test.run();
