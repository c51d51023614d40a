/**
 * Renders the Discord bot's messages as a page for inspection. The page approximates Discord's look, and
 * supports the markup that the bot uses.
 */
type Field = { readonly name: string; readonly value: string; readonly inline?: boolean }
type Embed = {
  readonly title?: string
  readonly description?: string
  readonly color?: number
  readonly fields?: readonly Field[]
}
type Button = { readonly label: string; readonly style: number }
export type Message = {
  readonly embeds?: readonly Embed[]
  readonly components?: readonly { readonly components: readonly Button[] }[]
  readonly flags?: number
}

const STYLES: Readonly<Record<number, string>> = { 1: '#4752c4', 2: '#4e5058', 4: '#b3272d' }

/** The keys of `messages` are captions, such as the command that returned the message. */
export function drawMessages(messages: Readonly<Record<string, Message>>): string {
  const drawn = Object.entries(messages).map(
    ([caption, message]) => `<h2>${escaped(caption)}</h2>${draw(message)}`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Messages</title><style>
body{background:#313338;color:#dbdee1;font:15px/1.4 sans-serif;margin:16px;overflow-wrap:anywhere}
h1{font-size:16px}h2{color:#b5bac1;font-size:13px;margin:24px 0 6px}
.embed{background:#2b2d31;border-left:4px solid #1e1f22;border-radius:4px;padding:10px 14px;max-width:520px}
.embed b:first-child{color:#f2f3f5}
dl{display:grid;grid-template-columns:repeat(3,1fr);gap:8px;margin:8px 0 0}
dl>div{grid-column:span 3}dl>.inline{grid-column:span 1}
dt{color:#f2f3f5;font-weight:600;font-size:13px}dd{margin:2px 0 0}
pre,code{background:#1e1f22;border-radius:4px;padding:1px 4px;white-space:pre-wrap;font-size:13px}
pre{padding:8px;margin:4px 0}mark{background:#1e1f22;color:#dbdee1}i{background:#3c3e4a;font-style:normal;color:#c9cdfb}
button{border:0;border-radius:4px;color:#fff;font:14px sans-serif;min-height:32px;padding:4px 14px;margin:8px 6px 0 0}
small{color:#b5bac1}
</style><main><h1>Messages of the bot</h1>${drawn.join('')}</main></html>`
}

function draw({ embeds = [], components = [], flags }: Message): string {
  const buttons = components.flatMap((row) => row.components)
  return [
    ...embeds.map(drawEmbed),
    ...buttons.map(
      ({ label, style }) => `<button style="background:${STYLES[style]}">${escaped(label)}</button>`,
    ),
    flags === 64 ? '<br><small>Only you can see this</small>' : '',
  ].join('')
}

function drawEmbed({ title, description, color, fields = [] }: Embed): string {
  const line = color === undefined ? '' : ` style="border-color:#${color.toString(16).padStart(6, '0')}"`
  const list = fields.map(
    ({ name, value, inline }) =>
      `<div${inline ? ' class="inline"' : ''}><dt>${marked(name)}</dt><dd>${marked(value)}</dd></div>`,
  )
  const head = [title && `<b>${marked(title)}</b>`, description && `<div>${marked(description)}</div>`]
  return `<div class="embed"${line}>${head.filter(Boolean).join('')}${list.length > 0 ? `<dl>${list.join('')}</dl>` : ''}</div>`
}

/** Renders the markup in the bot's own messages; escaped characters stay literal. */
function marked(text: string): string {
  const literal: string[] = []
  const hidden = escaped(
    text.replace(/\\(.)/gs, (_, character: string) => `\uE000${literal.push(escaped(character)) - 1}\uE001`),
  )
  return hidden
    .replace(/```lua\n([\s\S]*?)\n```/g, '<pre>$1</pre>')
    .replace(/\|\|(.+?)\|\|/g, '<mark>$1</mark>')
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
    .replace(
      /&#60;t:(\d+):R&#62;/g,
      (_, at: string) => `<i>${new Date(Number(at) * 1000).toISOString().slice(0, 16)}</i>`,
    )
    .replace(/&#60;@(\d+)&#62;/g, '<i>@$1</i>')
    .replace(/\n/g, '<br>')
    .replace(/\uE000(\d+)\uE001/g, (_, at: string) => literal[Number(at)] ?? '')
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
