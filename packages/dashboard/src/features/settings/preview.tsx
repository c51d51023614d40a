/** Previews a visitor page in a chosen language and color scheme. */
import { useState } from 'react'
import { Segments } from '../../components/fields/segments.tsx'
import { VisitorPage } from '../../components/visitor-page.tsx'
import { isDark } from '../../lib/theme.ts'
import { text } from '../../messages/text.ts'
import styles from './settings.module.css'
import type { PreviewOf } from './use-preview.ts'

type Scheme = 'light' | 'dark'
type Props = {
  readonly html: string | undefined
  readonly error: unknown
  readonly of: PreviewOf
  readonly onOf: (change: Partial<PreviewOf>) => void
}

const entries = <Key extends string>(words: Readonly<Record<Key, string>>) =>
  Object.entries(words) as [Key, string][]

export function Preview({ html, error, of, onOf }: Props) {
  const [scheme, setScheme] = useState<Scheme>(() => (isDark() ? 'dark' : 'light'))
  return (
    <div className={styles.preview}>
      <div className="bar">
        <Segments
          label={text.settings.previewOf}
          options={entries(text.settings.previewPages)}
          chosen={of.page}
          onChoose={(page) => onOf({ page })}
        />
        <select
          aria-label={text.settings.previewIn}
          value={of.language}
          onChange={(event) => onOf({ language: event.target.value as PreviewOf['language'] })}
        >
          {entries(text.settings.previewLanguages).map(([language, name]) => (
            <option key={language} value={language}>
              {name}
            </option>
          ))}
        </select>
        <Segments
          label={text.settings.previewLook}
          options={entries(text.settings.previewLooks)}
          chosen={scheme}
          onChoose={setScheme}
        />
      </div>
      {error !== null && (
        <p className="hint" role="status">
          {text.settings.previewFails}
        </p>
      )}
      <VisitorPage title={text.settings.previewTitle} html={html} scheme={scheme} />
    </div>
  )
}
