/** A project's key window: its options, a preview, and the lines to publish. */
import { Snippet } from '../../../components/code/snippet.tsx'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { OnlyHere } from '../../../components/loaders.tsx'
import { Panel } from '../../../components/panel.tsx'
import { windowLines } from '../../../lib/snippets.ts'
import { usePaused } from '../../../lib/use-paused.ts'
import { text } from '../../../messages/text.ts'
import { useProject } from '../../../queries/projects.ts'
import { WindowFields } from './fields.tsx'
import { type Draft, EMPTY, mistakesIn, optionsOf } from './options.ts'
import { Preview } from './preview.tsx'
import styles from './window.module.css'

const t = text.keyWindow

export function WindowPanel() {
  const { id } = useProject()
  const kept = useKept('hub-window')
  const [draft, setDraft] = useKeptState(kept, 'options', EMPTY)
  const paused: Draft = JSON.parse(usePaused(JSON.stringify(draft)))
  const options = optionsOf(paused)
  return (
    <>
      <Panel title={t.heading} hint={t.hint}>
        <div className={styles.window}>
          <WindowFields
            kept={kept}
            draft={draft}
            mistakes={mistakesIn(paused)}
            onChange={(change) => setDraft({ ...draft, ...change })}
          />
          <Preview options={options} />
        </div>
      </Panel>
      <Panel title={t.lines} hint={t.linesHint}>
        <OnlyHere />
        <Snippet code={windowLines(id, options)} label={text.loaders.executor} />
      </Panel>
    </>
  )
}
