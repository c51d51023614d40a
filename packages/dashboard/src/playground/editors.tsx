/** Shows the source and the protected script side by side. */
import { useMemo, useState } from 'react'
import { CodeEditor } from '../components/code/code-editor.tsx'
import type { Marker } from '../components/code/code-mirror/props.ts'
import { CopyButton } from '../components/code/copy-button.tsx'
import { markerIn } from '../components/code/marker-in.ts'
import { Places } from '../components/code/places.tsx'
import { saveText } from '../lib/save-text.ts'
import { playgroundText as words } from '../messages/en/playground.ts'
import type { Draft } from './draft.ts'
import styles from './playground.module.css'
import type { Result } from './use-protection.ts'

type Props = {
  readonly draft: Draft
  readonly onChange: (changes: Partial<Draft>) => void
  readonly result: Result | undefined
}

export function Editors({ draft, onChange, result }: Props) {
  const [shown, setShown] = useState<Marker>()
  const errors = result?.draft.source === draft.source ? result.errors : undefined
  const markers = useMemo(() => (errors ?? []).flatMap((each) => markerIn(each) ?? []), [errors])
  const others = (errors ?? []).filter((each) => markerIn(each) === undefined)
  return (
    <div className={styles.pair}>
      <div className="stack tight">
        <div className={styles.head}>
          <h2>{words.source}</h2>
        </div>
        <Places markers={markers} onShow={setShown} />
        {others.map((each) => (
          <p key={each} className="field-error" role="alert">
            {each}
          </p>
        ))}
        <CodeEditor
          label={words.source}
          value={draft.source}
          markers={markers}
          shown={shown}
          onChange={(source) => onChange({ source })}
        />
      </div>
      <Protected code={result?.built?.code} />
    </div>
  )
}

function Protected({ code }: { code: string | undefined }) {
  return (
    <div className="stack tight">
      <div className={`bar between ${styles.head}`}>
        <h2>{words.output}</h2>
        {code !== undefined && (
          <div className="bar">
            <CopyButton value={code} />
            <button type="button" onClick={() => saveText('protected.lua', code)}>
              {words.download}
            </button>
          </div>
        )}
      </div>
      {code === undefined ? (
        <p className="empty">{words.noOutput}</p>
      ) : (
        <CodeEditor label={words.output} value={code} isWrapped />
      )}
    </div>
  )
}
