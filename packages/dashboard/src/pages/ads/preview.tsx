/** The page that visitors see first, as the service makes it with the branding of the project; nothing in it reacts. */
import { v1BrandingPreview } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useCall } from '../../api.ts'
import { Panel } from '../../parts/panel.tsx'
import { useProject } from '../../projects.ts'
import { language } from '../../text/language.ts'
import { text } from '../../text/text.ts'
import { Waiting } from '../trouble.tsx'
import styles from './preview.module.css'

const t = text.ads

export function Preview() {
  const call = useCall()
  const { id } = useProject()
  const asked = useQuery({
    queryKey: ['ad-preview', id],
    queryFn: async () => {
      const body = { page: 'ads', language: language === 'de' ? 'de' : 'en' } as const
      return (await v1BrandingPreview({ ...call, path: { project_id: id }, body })).data.html
    },
  })
  return (
    <Panel title={t.preview} hint={t.previewHint}>
      <Waiting asked={asked}>{asked.data !== undefined && <Frame html={asked.data} />}</Waiting>
    </Panel>
  )
}

/** The frame says when it is ready, and is sent what it is to show. */
function Frame({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setIsReady] = useState(false)
  useEffect(() => {
    const hear = ({ source, data }: MessageEvent<{ type?: unknown } | null>) => {
      if (source === frame.current?.contentWindow && data?.type === 'ready') setIsReady(true)
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [])
  useEffect(() => {
    if (isReady) frame.current?.contentWindow?.postMessage({ html }, '*')
  }, [isReady, html])
  return (
    <iframe
      ref={frame}
      className={styles.frame}
      sandbox="allow-scripts"
      src="../preview/"
      title={t.preview}
    />
  )
}
