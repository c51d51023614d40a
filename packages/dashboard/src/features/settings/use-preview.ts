/** Reloads the preview shortly after the last change. */
import { type V1BrandingPreviewData, v1BrandingPreview } from '@scriptward/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { errorsOfFields, useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import type { Changes } from './branding-draft.ts'

type Body = NonNullable<V1BrandingPreviewData['body']>
export type PreviewOf = Required<Pick<Body, 'page' | 'language'>>

const PAUSE_MS = 300

export function usePreview(changes: Changes) {
  const call = useCall()
  const { id } = useProject()
  const [of, setOf] = useState<PreviewOf>({ page: 'ads', language: 'en' })
  const body = { ...useSettled(changes), ...of }
  const query = useQuery({
    queryKey: ['preview', id, body],
    queryFn: async () => (await v1BrandingPreview({ ...call, path: { project_id: id }, body })).data.html,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [last, setLast] = useState<string>()
  useEffect(() => {
    if (query.data !== undefined) setLast(query.data)
  }, [query.data])
  const errors = errorsOfFields(query.error)
  return {
    html: query.data ?? last,
    error: query.error,
    of,
    onOf: (change: Partial<PreviewOf>) => setOf({ ...of, ...change }),
    errorOf: (field: string) => errors[field],
  }
}

/** Returns the value once it has stayed unchanged for a moment. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
