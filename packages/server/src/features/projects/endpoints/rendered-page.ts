/** Schemas for endpoints that render a customer page as a preview for its author. */
import { Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'
import { LANGUAGES, type Language } from '../../../pages/language.ts'

export const PageLanguage = Type.Unsafe<Language>({
  type: 'string',
  enum: [...LANGUAGES],
  description: 'language of the page. Default: en',
  examples: ['de'],
})

export const RenderedPage = Type.Object({
  success: shape.Yes,
  html: Type.String({
    description: 'rendered page, as an HTML document',
    examples: ['<!doctype html>\n<html lang="en">…</html>'],
  }),
})
