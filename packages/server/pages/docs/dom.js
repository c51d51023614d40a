/** Creates elements, renders the simple markup of the document's descriptions, and makes code copyable. */

/**
 * Creates an element with these attributes and children. Attributes whose names start with `on` are
 * listeners.
 */
export function h(name, attributes, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value)
    else if (value === true) element.setAttribute(key, '')
    else if (value !== false && value !== undefined) element.setAttribute(key, value)
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== false))
  return element
}

/** Paragraphs with `code` and **strong** text. */
export function paragraphs(text) {
  return text.split('\n\n').map((one) => h('p', {}, rich(one)))
}

export function rich(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return h('code', {}, part.slice(1, -1))
    return part.startsWith('**') ? h('strong', {}, part.slice(2, -2)) : part
  })
}

const WORDS =
  'import|from|const|let|await|for|of|new|local|require|and|or|print|with|as|in|async|true|false|null|True|False|None'
const TOKENS = new RegExp(
  `("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\\[\\[[\\s\\S]*?\\]\\])|\\b(${WORDS}|curl)\\b|\\b(\\d[\\d_.]*)\\b`,
  'g',
)

/** Code with its strings, keywords and numbers highlighted. Long code is not highlighted. */
export function code(text) {
  if (text.length > 50_000) return [text]
  const parts = []
  let end = 0
  for (const { 0: whole, 1: string, 2: word, index } of text.matchAll(TOKENS)) {
    parts.push(text.slice(end, index))
    parts.push(h('span', { class: string ? 'string' : word ? 'word' : 'number' }, whole))
    end = index + whole.length
  }
  return [...parts, text.slice(end)]
}

/** A code block that can be scrolled with the keyboard, with a title and a copy button above it. */
export function block(text, what) {
  const body = h('pre', { tabindex: '0' }, h('code', {}, code(text)))
  const button = h('button', { type: 'button', class: 'copy', 'aria-label': `Copy: ${what}` }, 'Copy')
  button.addEventListener('click', () => void copy(button, body))
  return h('div', { class: 'block' }, h('div', { class: 'bar' }, h('span', {}, what), button), body)
}

async function copy(button, source) {
  try {
    await navigator.clipboard.writeText(source.textContent)
    button.textContent = 'Copied'
  } catch {
    // Copying is disallowed, or unavailable over plain HTTP, so the code is selected instead.
    getSelection().selectAllChildren(source)
    button.textContent = 'Marked'
  }
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 2000)
}

export function json(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
