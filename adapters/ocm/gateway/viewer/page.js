// The viewer over one document, in the browser.
const shown = document.getElementById('document');

/** Operations are grouped by the collection, or by whatever else comes first below the version. */
function groupsOf(paths) {
  const groups = new Set();
  for (const [path, operations] of Object.entries(paths)) {
    const group = path.split('/')[4] ?? 'version';
    groups.add(group);
    for (const operation of Object.values(operations)) operation.tags = [group];
  }
  return [...groups].map((name) => ({ name }));
}

/** The document, as it is for this server. */
function prepared(document) {
  const { contact: _contact, license: _license, ...info } = document.info;
  return { ...document, info, servers: [{ url: location.origin }], tags: groupsOf(document.paths) };
}

/** The viewer's fields have names only as placeholders, and its lists of values none. */
const named =
  (Original, { React }) =>
  (props) => {
    const { description: name } = props;
    const field = React.createElement(Original, props);
    return name
      ? React.createElement('label', null, React.createElement('span', { className: 'heard' }, name), field)
      : field;
  };

const plugin = ({ React }) => ({
  components: {
    // Descriptions of the model are plain text: nothing of it becomes markup.
    Markdown: ({ source, className = '' }) =>
      source ? React.createElement('div', { className: `${className} plain` }, String(source).trim()) : null,
    // There is one, from which the page is.
    ServersContainer: () => null,
  },
  wrapComponents: {
    JsonSchema_boolean: named,
    JsonSchema_string: named,
    InfoContainer: (Original) => (props) =>
      React.createElement('section', { 'aria-label': 'About' }, React.createElement(Original, props)),
    operations: (Original) => (props) =>
      React.createElement(
        React.Fragment,
        null,
        React.createElement('h2', null, 'Operations'),
        React.createElement(Original, props),
      ),
  },
});

try {
  const answer = await fetch(shown.dataset.url);
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  const spec = prepared(await answer.json());
  shown.replaceChildren();
  globalThis.SwaggerUIBundle({
    domNode: shown,
    spec,
    plugins: [plugin],
    layout: 'BaseLayout',
    docExpansion: 'list',
    // Its links would be within buttons.
    deepLinking: false,
    // It would ask another host.
    validatorUrl: null,
  });
} catch (error) {
  const line = document.createElement('p');
  line.setAttribute('role', 'alert');
  line.textContent = `The document cannot be shown: ${error.message}`;
  shown.replaceChildren(line);
}
