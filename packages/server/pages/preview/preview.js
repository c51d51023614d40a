/**
 * Shows the document that the page around this frame sends: `{ html, scheme }`, of which `scheme` is `light`, `dark` or
 * nothing. What is shown can be read and focused, and does nothing.
 */
addEventListener('message', ({ source, data }) => {
  if (source === parent && typeof data?.html === 'string') show(data)
})
for (const kind of ['click', 'submit']) addEventListener(kind, (event) => event.preventDefault(), true)
parent.postMessage({ type: 'ready' }, '*')

/** Scripts of a document that was parsed like this never run. */
function show({ html, scheme }) {
  const { scrollY } = window
  const { documentElement } = new DOMParser().parseFromString(html, 'text/html')
  documentElement.style.colorScheme = scheme === 'light' || scheme === 'dark' ? scheme : ''
  // The script of the page shows them, where there is one.
  for (const button of documentElement.querySelectorAll('button[data-copy]')) button.hidden = false
  document.replaceChild(document.adoptNode(documentElement), document.documentElement)
  scrollTo(0, scrollY)
}
