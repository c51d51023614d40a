import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useProject } from '../../../queries/projects.ts'
import type { Drawn, Scene } from './window-worker.ts'

export type Language = 'en' | 'id' | 'pt' | 'es' | 'ru' | 'tr' | 'vi' | 'fil' | 'de' | 'fr'

/** The key window's code with the project's branding, as sent to customers. */
export function useWindowCode(language: Language) {
  const { id, allow_checks } = useProject()
  return useQuery({
    queryKey: ['project', id, 'window', language],
    enabled: allow_checks,
    queryFn: async () => {
      const url = `/client/v1/library/window?project=${id}&lang=${language}`
      const answer = await fetch(url, { credentials: 'omit' })
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
      return answer.text()
    },
  })
}

/**
 * Draws each scene in one worker that lives as long as the component. The previous drawing stays until the
 * next one is ready.
 */
export function useDrawing(scene: Scene | undefined): Drawn | undefined {
  const worker = useRef<Worker>(null)
  const [drawn, setDrawn] = useState<Drawn>()
  useEffect(() => {
    const own = new Worker(new URL('./window-worker.ts', import.meta.url), { type: 'module' })
    own.addEventListener('message', ({ data }: MessageEvent<Drawn>) => setDrawn(data))
    own.addEventListener('error', ({ message }) => setDrawn({ problem: message }))
    worker.current = own
    return () => own.terminate()
  }, [])
  const message = scene && JSON.stringify(scene)
  useEffect(() => {
    if (message !== undefined) worker.current?.postMessage(JSON.parse(message))
  }, [message])
  return drawn
}
