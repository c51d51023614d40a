/** A non-interactive preview of the first visitor page, rendered by the server with the project's branding. */
import { v1BrandingPreview } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Panel } from '../../components/panel.tsx'
import { VisitorPage } from '../../components/visitor-page.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'

const t = text.ads

export function Preview() {
  const call = useCall()
  const { id } = useProject()
  const query = useQuery({
    queryKey: ['ad-preview', id],
    queryFn: async () => {
      const body = { page: 'ads', language: 'en' } as const
      return (await v1BrandingPreview({ ...call, path: { project_id: id }, body })).data.html
    },
  })
  return (
    <Panel title={t.preview} hint={t.previewHint}>
      <QueryBoundary query={query}>
        <VisitorPage title={t.preview} html={query.data} />
      </QueryBoundary>
    </Panel>
  )
}
