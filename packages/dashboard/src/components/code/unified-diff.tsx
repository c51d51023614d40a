/** Shows a unified diff, with colors for added and removed lines. */
import styles from './unified-diff.module.css'

type Kind = 'added' | 'removed' | 'place' | 'same'
type Block = { readonly kind: Kind; readonly lines: string[] }

export function UnifiedDiff({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: A scrollable region must be reachable by keyboard.
    <section className={styles.diff} aria-label={label} tabIndex={0}>
      <pre>
        {blocksOf(text).map(({ kind, lines }, index) => {
          const content = `${lines.join('\n')}\n`
          const key = `${index} ${kind}`
          if (kind === 'added') return <ins key={key}>{content}</ins>
          if (kind === 'removed') return <del key={key}>{content}</del>
          return kind === 'place' ? <b key={key}>{content}</b> : <span key={key}>{content}</span>
        })}
      </pre>
    </section>
  )
}

/** Groups consecutive lines of the same kind, so that a long diff needs few elements. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  for (const line of text.split('\n')) {
    const kind = kindOf(line)
    const last = blocks.at(-1)
    if (last?.kind === kind) last.lines.push(line)
    else blocks.push({ kind, lines: [line] })
  }
  return blocks
}

function kindOf(line: string): Kind {
  if (line.startsWith('+')) return 'added'
  if (line.startsWith('-')) return 'removed'
  return line.startsWith('@@') ? 'place' : 'same'
}
