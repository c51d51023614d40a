/** Shows a visitor page in a sandboxed frame that can neither load nor send anything, and reports when it is ready. */
import { useEffect, useRef, useState } from 'react'
import styles from './visitor-page.module.css'

type Props = {
  readonly title: string
  readonly html: string | undefined
  /** Defaults to the browser's color scheme. */
  readonly scheme?: 'light' | 'dark'
}

export function VisitorPage({ title, html, scheme }: Props) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setIsReady] = useState(false)
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent<{ type?: unknown } | null>) => {
      if (source === frame.current?.contentWindow && data?.type === 'ready') setIsReady(true)
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [])
  useEffect(() => {
    if (isReady && html !== undefined) frame.current?.contentWindow?.postMessage({ html, scheme }, '*')
  }, [isReady, html, scheme])
  return (
    <iframe ref={frame} className={styles.frame} title={title} sandbox="allow-scripts" src="../preview/" />
  )
}
