/** A page of the visitors in a frame of its own, which may load and send nothing. */
import { useEffect, useRef, useState } from 'react'
import { Segments } from '../../parts/segments.tsx'
import { text } from '../../text/text.ts'
import styles from './settings.module.css'
import type { PreviewOf } from './use-preview.ts'

type Scheme = 'light' | 'dark'
type Given = {
  readonly html: string | undefined
  readonly error: unknown
  readonly of: PreviewOf
  readonly onOf: (change: Partial<PreviewOf>) => void
}

const entries = <Key extends string>(words: Readonly<Record<Key, string>>) =>
  Object.entries(words) as [Key, string][]

export function Preview({ html, error, of, onOf }: Given) {
  const [scheme, setScheme] = useState<Scheme>(() =>
    matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  )
  return (
    <div className={styles.preview}>
      <div className="bar">
        <Segments
          label={text.settings.previewOf}
          options={entries(text.settings.previewPages)}
          chosen={of.page}
          onChoose={(page) => onOf({ page })}
        />
        <Segments
          label={text.settings.previewIn}
          options={entries(text.settings.previewLanguages)}
          chosen={of.language}
          onChoose={(language) => onOf({ language })}
        />
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
      <Frame html={html} scheme={scheme} />
    </div>
  )
}

function Frame({ html, scheme }: { html: string | undefined; scheme: Scheme }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setIsReady] = useState(false)
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data?.type === 'ready') setIsReady(true)
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [])
  useEffect(() => {
    if (isReady && html !== undefined) frame.current?.contentWindow?.postMessage({ html, scheme }, '*')
  }, [isReady, html, scheme])
  return <iframe ref={frame} title={text.settings.previewTitle} sandbox="allow-scripts" src="../preview/" />
}
