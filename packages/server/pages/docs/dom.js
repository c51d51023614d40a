/** Elements, the little markup of the document's texts, and text that can be copied. */

/** An element with these attributes and children; a listener is an attribute that begins with `on`. */
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

/** Paragraphs with `code` and **strong** words. */
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

/** Code with its texts, words and numbers in colours; longer text is shown as it is. */
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

/** A block of code that a keyboard can scroll, under a bar that says what it is and copies it. */
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
    // Not allowed here, or no secure address: marked, the text can be copied by hand.
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
