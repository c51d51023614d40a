/** A page of the visitors in a frame of its own, which may load and send nothing; it says when it is ready for what it shows. */
import { useEffect, useRef, useState } from 'react'
import styles from './visitor-page.module.css'

type Props = {
  readonly title: string
  readonly html: string | undefined
  /** Without it the one that the browser prefers. */
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
