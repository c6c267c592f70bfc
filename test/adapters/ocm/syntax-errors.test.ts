// Lexical and syntactic errors: each with its place and message, and what is still understood behind it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { complaints, ROOT } from './marked.ts';

const test = suite('syntax errors');

/** Title, text of a file, messages. */
const CASES: readonly (readonly [title: string, text: string, ...messages: string[]])[] = [
  [
    'a character that starts nothing',
    'class X {\n\tName⟨lex.character⟩; String\n}\n',
    "the character ';' starts nothing",
  ],
  [
    'several such characters together are one complaint',
    'class X {\n\tName ⟨lex.character⟩<?> String\n}\n',
    "the characters '<?>' start nothing",
  ],
  ['a letter beyond ASCII', 'class Caf⟨lex.character⟩é {\n}\n', 'the character U+00E9 starts nothing'],
  ['a single slash', '⟨lex.character⟩/ class X {\n}\n', "the character '/' starts nothing"],
  [
    'a byte order mark',
    '⟨lex.character⟩\ufeffclass X {\n}\n',
    'a byte order mark has no place here: files are plain UTF-8',
  ],
  [
    'a negative number',
    'resource Root {\n\tmethod Go {\n\t\tin Size Integer = ⟨lex.character⟩-1\n\t}\n}\n',
    "the character '-' starts nothing",
  ],
  [
    'a column is counted in characters, not in halves of them',
    '@json(name = `😀`) ⟨lex.character⟩# class X {\n}\n',
    "the character '#' starts nothing",
  ],
  [
    'a string that does not end on its line',
    'enum E {\n\t@json(name = ⟨lex.string⟩"a)\n\tA\n\t@json(name = "b")\n\tB\n}\n',
    'the string is not closed: it ends on another line',
  ],
  [
    'a raw string that never ends',
    '@go(name = ⟨lex.string⟩`x)\nclass X {\n}\n',
    'the string is not closed: ` is missing',
  ],
  [
    'an escape that does not exist',
    '@json(name = ⟨lex.string⟩"a\\qb")\nclass X {\n}\n',
    "the string has an escape that does not exist: '\\q'",
  ],
  [
    'an escape that is no character',
    '@json(name = ⟨lex.string⟩"\\ud800")\nclass X {\n}\n',
    "the string has an escape that does not exist: '\\ud800'",
  ],
  [
    'a block note that never ends: what it swallows is not missed',
    'class X {\n\tName String\n\t⟨lex.comment⟩/* and so on\n}\n',
    "the block note is not closed: '*/' is missing",
  ],
  [
    'a number that is too large',
    'error E {\n\tcode ⟨lex.number⟩9223372036854775808\n}\nerror F {\n\tcode 9223372036854775807\n}\n',
    'the number is larger than 9223372036854775807',
  ],
  [
    'something that is no declaration',
    '⟨syntax.unexpected⟩import "x"\n\nclass X {\n}\n',
    "unexpected 'import', expected 'class', 'struct', 'enum', 'error' or 'resource'",
  ],
  [
    'a misspelt declaration, up to the next one',
    '⟨syntax.unexpected⟩clas X {\n\t@json(name = "y")\n\tName String\n}\n\nclass Y {\n\t⟨class.explicit-id⟩ID String\n}\n',
  ],
  [
    'something between a name and its body',
    'class X ⟨syntax.unexpected⟩extends Y {\n\t⟨class.explicit-id⟩ID String\n}\n',
    "unexpected 'extends', expected '{'",
  ],
  [
    'two things in a row that are no declarations',
    '⟨syntax.unexpected⟩type X struct {\n\tName string\n}\n\n⟨syntax.unexpected⟩interface Y {\n}\n',
    "unexpected 'interface', expected 'class', 'struct', 'enum', 'error' or 'resource'",
  ],
  [
    'a declaration without a name behind a body that is not closed',
    'class X {\n\tName String\n⟨syntax.unexpected⟩enum ⟨syntax.unexpected⟩{\n\tA\n}\n',
    "unexpected '{', expected the name of the enum",
  ],
  [
    'a brace too many',
    'class X {\n}\n⟨syntax.unexpected⟩}\n',
    "unexpected '}', expected 'class', 'struct', 'enum', 'error' or 'resource'",
  ],
  [
    'a declaration without a name',
    'class ⟨syntax.unexpected⟩{\n\tName String\n}\n',
    "unexpected '{', expected the name of the class",
  ],
  [
    'a declaration that is called like a word of the language',
    'class ⟨syntax.unexpected⟩value {\n\tName String\n}\nclass Y {\n}\n',
    "unexpected 'value' (a word of the language), expected the name of the class",
  ],
  [
    'a body that is not opened',
    'class X\n\t⟨syntax.unexpected⟩Name String\n}\nclass Y {\n}\n',
    "unexpected 'Name', expected '{'",
  ],
  [
    'a body that is not closed, at the end of the file',
    'class X {\n\tName String\n⟨syntax.unexpected⟩',
    "unexpected end of the file, expected an attribute or '}'",
  ],
  [
    'a body that is not closed, before the next declaration',
    'class X {\n\tName String\n\n⟨syntax.unexpected⟩class Y {\n\tName String\n}\n',
    "unexpected 'class', expected an attribute or '}'",
  ],
  [
    'a method that is not closed, before the next one',
    'resource Root {\n\tmethod Go {\n\t\tin A String\n\n\t⟨syntax.unexpected⟩method Stop {\n\t}\n}\n',
    "unexpected 'method', expected a parameter or '}'",
  ],
  [
    'an attribute without a type',
    'class X {\n\tName\n⟨syntax.unexpected⟩}\n',
    "unexpected '}', expected the name of a type",
  ],
  [
    'an attribute that is called like a word of the language',
    'class X {\n\t⟨syntax.unexpected⟩code String\n\tName String\n}\n',
    "unexpected 'code' (a word of the language), expected the name of an attribute or '}'",
  ],
  [
    'an attribute with a default',
    'class X {\n\tName String ⟨syntax.unexpected⟩= "x"\n\tOther String\n}\n',
    "unexpected '=', expected the name of an attribute or '}'",
  ],
  [
    'a list of lists',
    'class X {\n\tName []⟨syntax.unexpected⟩[]String\n}\n',
    "unexpected '[', expected the name of the elements' type",
  ],
  [
    'a map whose key is not closed',
    'class X {\n\tName [String ⟨syntax.unexpected⟩Integer\n}\n',
    "unexpected 'Integer', expected ']'",
  ],
  [
    'a value that is a number',
    'enum X {\n\t⟨syntax.unexpected⟩1\n\tTwo\n}\n',
    "unexpected '1', expected the name of a value or '}'",
  ],
  ['a code that is no number', 'error X {\n\tcode ⟨syntax.unexpected⟩"1"\n}\n', 'unexpected string, expected a number'],
  [
    'something else in an error',
    'error X {\n\t⟨syntax.unexpected⟩reason 1\n}\n',
    "unexpected 'reason', expected 'code' or '}'",
  ],
  [
    'something else in a resource',
    'resource Root {\n\t⟨syntax.unexpected⟩= Go {\n\t}\n\tmethod Stop {\n\t}\n}\n',
    "unexpected '=', expected 'method', 'locator' or '}'",
  ],
  [
    'something else in a locator',
    'resource Root {\n\tlocator Y {\n\t\t⟨syntax.unexpected⟩name Y\n\t\ttarget Y\n\t}\n}\nresource Y {\n}\n',
    "unexpected 'name', expected 'target', 'variable' or '}'",
  ],
  [
    'a default that is no literal',
    'resource Root {\n\tmethod Go {\n\t\tin A String = ⟨syntax.unexpected⟩b\n\t}\n}\n',
    "unexpected 'b', expected 'true', 'false', a number or a string",
  ],
  [
    'a mark with nothing behind it, in a body',
    'class X {\n\t@json(name = "x")\n⟨syntax.unexpected⟩}\n',
    "unexpected '}', expected the name of an attribute or '}'",
  ],
  [
    'a mark with nothing behind it, at the end of the file',
    'class X {\n}\n@deprecated\n⟨syntax.unexpected⟩',
    "unexpected end of the file, expected 'class', 'struct', 'enum', 'error' or 'resource'",
  ],
  [
    'a mark on the target of a locator',
    'resource Root {\n\tlocator Y {\n\t\t⟨syntax.unexpected⟩@deprecated\n\t\ttarget Y\n\t}\n}\nresource Y {\n}\n',
    "unexpected '@', expected 'target', 'variable' or '}'",
  ],
  [
    'a mark whose name is a word of the language',
    '@⟨syntax.unexpected⟩class\nclass X {\n}\n',
    "unexpected 'class' (a word of the language), expected the name of a mark",
  ],
  [
    'parameters of a mark with a comma between',
    '@deprecated(name = "a"⟨lex.character⟩, other = 1)\nclass X {\n}\n',
    "the character ',' starts nothing",
  ],
  [
    'a mark that is not closed',
    'class X {\n\t@json(name = "a"\n\tName ⟨syntax.unexpected⟩String\n\tOther String\n}\n',
    "unexpected 'String', expected '='",
  ],
  [
    'documentation whose lines do not begin alike',
    '//  Two blanks.\n⟨doc.prefix⟩// One blank.\n//\n//   Three.\nclass X {\n}\n',
    'this line of documentation is less indented than the first one',
  ],
];

for (const [title, text, ...messages] of CASES) {
  test(title, () => {
    const found = complaints({ 'x.model': text, ...(text.includes('resource Root') ? {} : ROOT) });
    const reported = found.map(({ message }) => message);
    for (const message of messages) assert.ok(reported.includes(message), `${message}\n${reported.join('\n')}`);
  });
}

test('several errors in one file are all reported, and hide none in other files', () => {
  complaints({
    'a.model': [
      'class A {',
      '\tName ⟨syntax.unexpected⟩1',
      '\t⟨class.explicit-id⟩ID String',
      '\t⟨syntax.unexpected⟩value String',
      '\tPlace ⟨def.undefined-type⟩Nowhere',
      '}',
      '',
      'resource R {',
      '\tmethod Get {',
      '\t\t⟨syntax.unexpected⟩[]Book',
      '\t\tin ⟨param.default⟩Depth Integer = "x"',
      '\t}',
      '\tlocator ⟨locator.no-target⟩L {',
      '\t}',
      '}',
      '⟨syntax.unexpected⟩garbage in garbage out',
      'enum E {',
      '\tA',
      '\t⟨def.duplicate-member⟩A',
      '}',
    ].join('\n'),
    'b.model': 'class B {\n\tName ⟨lex.string⟩"\n}\n\nstruct ⟨def.duplicate-type⟩B {\n\tA ⟨def.undefined-type⟩Bok\n}\n',
    'root.model': 'resource Root {\n\tlocator R {\n\t\ttarget R\n\t}\n}\n',
  });
});

test.run();
