/**
 * Shows the document sent by the parent page as `{ html, scheme }`, where `scheme` is `light`, `dark` or
 * absent. The content can be read and focused, but does nothing.
 */
addEventListener('message', ({ source, data }) => {
  if (source === parent && typeof data?.html === 'string') show(data)
})
for (const kind of ['click', 'submit']) addEventListener(kind, (event) => event.preventDefault(), true)
parent.postMessage({ type: 'ready' }, '*')

/** Scripts in a document that is parsed this way never run. */
function show({ html, scheme }) {
  const { scrollY } = window
  const { documentElement } = new DOMParser().parseFromString(html, 'text/html')
  documentElement.style.colorScheme = scheme === 'light' || scheme === 'dark' ? scheme : ''
  // These elements are normally shown by the page's script, which doesn't run here.
  for (const button of documentElement.querySelectorAll('button[data-copy]')) button.hidden = false
  document.replaceChild(document.adoptNode(documentElement), document.documentElement)
  scrollTo(0, scrollY)
}
