"""Everturn: conversation memory for cloud-hosted agents, on S3 and Lambda alone."""
