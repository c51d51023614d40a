/** Draws a command's output as an SVG in which the lines appear one after another, as in a terminal. */

const WIDTH = 760
const LINE = 22
const MARGIN = 20
/** Space for the window's title bar. */
const TOP = 44
const FIRST_S = 1.2
const EACH_S = 0.35
/** The animation restarts after this time. */
const REPEAT_S = 10

/** `command` is the typed command; `lines` are the printed lines. */
export function drawTerminal(command: string, lines: readonly string[]): string {
  const height = TOP + (lines.length + 1) * LINE + MARGIN
  const texts = lines.map((line, index) => textAt(line, index + 1))
  const frames = lines.map((_, index) => framesOf(index + 1))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="The output of ${escapeXml(command)}">
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d7dae0; white-space: pre }
.command { fill: #ffffff; font-weight: 600 }
${frames.join('\n')}
@media (prefers-reduced-motion: reduce) { text { animation: none !important } }
</style>
<rect width="${WIDTH}" height="${height}" rx="10" fill="#16181d"/>
<circle cx="20" cy="18" r="6" fill="#4a4f59"/><circle cx="40" cy="18" r="6" fill="#4a4f59"/><circle cx="60" cy="18" r="6" fill="#4a4f59"/>
<text class="command" x="${MARGIN}" y="${TOP + LINE / 2}">$ ${escapeXml(command)}</text>
${texts.join('\n')}
</svg>
`
}

function textAt(line: string, row: number): string {
  return `<text id="line${row}" x="${MARGIN}" y="${TOP + LINE / 2 + row * LINE}">${escapeXml(line)}</text>`
}

/** All lines have the same cycle, so that they disappear together. */
function framesOf(row: number): string {
  const percent = (100 * (FIRST_S + (row - 1) * EACH_S)) / REPEAT_S
  const steps = `0%, ${percent.toFixed(1)}% { opacity: 0 } ${(percent + 0.1).toFixed(1)}%, 100% { opacity: 1 }`
  return `@keyframes line${row} { ${steps} } #line${row} { animation: line${row} ${REPEAT_S}s infinite }`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
