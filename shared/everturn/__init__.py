"""Everturn: conversation memory for cloud-hosted agents, on S3, Lambda and SQS alone."""
