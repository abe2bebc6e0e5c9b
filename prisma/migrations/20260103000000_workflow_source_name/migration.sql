-- The name of the file a workflow's text came in; problems are told with it, and it may tell the format.
ALTER TABLE "portal"."workflow" ADD COLUMN "source_name" TEXT;
