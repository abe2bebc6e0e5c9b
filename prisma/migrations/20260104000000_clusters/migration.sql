-- Clusters that are registered by administrators: how they are reached, with whose account, and what is known of their hosts.
ALTER TABLE "portal"."cluster"
    ADD COLUMN "address" JSONB,
    ADD COLUMN "queue" TEXT,
    ADD COLUMN "settings" JSONB NOT NULL DEFAULT '{}',
    ADD COLUMN "account_policy" TEXT NOT NULL DEFAULT 'service',
    ADD COLUMN "host_key" TEXT,
    ADD COLUMN "draining" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "removed_at" TIMESTAMPTZ(3);
ALTER TABLE "portal"."cluster" ADD CONSTRAINT "cluster_account_policy_check" CHECK ("account_policy" IN ('own', 'service', 'either'));

CREATE TABLE "portal"."credential" (
    "id" UUID NOT NULL,
    "cluster_id" TEXT NOT NULL,
    "user_id" UUID,
    "kind" TEXT NOT NULL,
    "login" TEXT NOT NULL,
    "sealed" BYTEA NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "tested_at" TIMESTAMPTZ(3),
    "test_sentence" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credential_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "credential_kind_check" CHECK ("kind" IN ('ssh-key'))
);
-- One for each person, and one service account, which has no person.
CREATE UNIQUE INDEX "credential_cluster_id_user_id_key" ON "portal"."credential"("cluster_id", "user_id") NULLS NOT DISTINCT;
CREATE INDEX "credential_user_id_idx" ON "portal"."credential"("user_id");
ALTER TABLE "portal"."credential" ADD CONSTRAINT "credential_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "portal"."cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "portal"."credential" ADD CONSTRAINT "credential_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "portal"."user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "portal"."cluster_host" (
    "cluster_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "facts" JSONB NOT NULL,
    "reading" JSONB,
    "up" BOOLEAN NOT NULL,
    "discovered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "read_at" TIMESTAMPTZ(3),

    CONSTRAINT "cluster_host_pkey" PRIMARY KEY ("cluster_id", "name")
);
ALTER TABLE "portal"."cluster_host" ADD CONSTRAINT "cluster_host_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "portal"."cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "portal"."cluster_command" (
    "id" BIGSERIAL NOT NULL,
    "cluster_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "purpose" TEXT NOT NULL,
    "command" TEXT[],
    "exit_code" INTEGER,
    "stdout" TEXT NOT NULL,
    "stderr" TEXT NOT NULL,
    "duration_ms" INTEGER NOT NULL,

    CONSTRAINT "cluster_command_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "cluster_command_cluster_id_id_idx" ON "portal"."cluster_command"("cluster_id", "id" DESC);
ALTER TABLE "portal"."cluster_command" ADD CONSTRAINT "cluster_command_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "portal"."cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- How each cluster does, as the part that speaks with it saw it last: one row a cluster and account used on it.
CREATE TABLE "portal"."cluster_health" (
    "cluster_id" TEXT NOT NULL,
    "account" TEXT NOT NULL,
    "ok" BOOLEAN NOT NULL,
    "sentence" TEXT NOT NULL,
    "polled_at" TIMESTAMPTZ(3),
    "next_poll_at" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "cluster_health_pkey" PRIMARY KEY ("cluster_id", "account")
);
ALTER TABLE "portal"."cluster_health" ADD CONSTRAINT "cluster_health_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "portal"."cluster"("id") ON DELETE CASCADE ON UPDATE CASCADE;
