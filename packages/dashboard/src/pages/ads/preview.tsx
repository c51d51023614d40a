/** The page that visitors see first, as the service makes it with the branding of the project; nothing in it reacts. */
import { v1BrandingPreview } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../api.ts'
import { Panel } from '../../parts/panel.tsx'
import { VisitorPage } from '../../parts/visitor-page.tsx'
import { useProject } from '../../projects.ts'
import { text } from '../../text/text.ts'
import { Waiting } from '../trouble.tsx'

const t = text.ads

export function Preview() {
  const call = useCall()
  const { id } = useProject()
  const asked = useQuery({
    queryKey: ['ad-preview', id],
    queryFn: async () => {
      const body = { page: 'ads', language: 'en' } as const
      return (await v1BrandingPreview({ ...call, path: { project_id: id }, body })).data.html
    },
  })
  return (
    <Panel title={t.preview} hint={t.previewHint}>
      <Waiting asked={asked}>
        <VisitorPage title={t.preview} html={asked.data} />
      </Waiting>
    </Panel>
  )
}
